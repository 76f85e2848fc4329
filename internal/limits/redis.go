package limits

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// patience is the longest that a call waits for Redis before it does without.
const patience = 200 * time.Millisecond

// keyPrefix keeps our keys apart from others' in a Redis that is shared.
const keyPrefix = "ambit:limit:"

// allowScript is [Local.Allow] in Redis, by Redis's clock, so that the clocks
// of the replicas do not matter. Times are in microseconds: they stay exact in
// Lua's floats (2^53 µs are 285 years).
var allowScript = redis.NewScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local step, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + step
local wait = due - step * burst - now
if wait > 0 then return wait end
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000) + 1)
return 0`)

// refundScript is [Local.Refund] in Redis.
var refundScript = redis.NewScript(`
local due = tonumber(redis.call('GET', KEYS[1]) or 0)
if due == 0 then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
due = due - tonumber(ARGV[1])
if due <= now then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000) + 1)
return 0`)

// Redis is a Limiter over all replicas. While Redis is away each replica lets
// its share through on its own account, and one call a second goes to see
// whether Redis is back.
type Redis struct {
	client   redis.UniversalClient
	local    *Local
	breaker  *breaker
	replicas int
	patience time.Duration
}

// RedisOptions reads a redis:// or unix:// URL into options under which an
// outage does not stall requests: no retries, one dial, 200 ms.
func RedisOptions(address string) (*redis.Options, error) {
	o, err := redis.ParseURL(address)
	if bad, ok := errors.AsType[*url.Error](err); ok {
		err = bad.Err // the rest of it repeats the address, password and all
	}
	if err != nil {
		return nil, fmt.Errorf("the Redis URL: %w", err)
	}
	o.MaxRetries = -1
	o.DialerRetries = 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	o.ContextTimeoutEnabled = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o, nil
}

// NewRedis returns a Limiter on the client, which stays the caller's to close.
// Replicas is how many processes divide a limit among them when Redis is away.
func NewRedis(client redis.UniversalClient, replicas int, now func() time.Time) *Redis {
	return &Redis{client: client, local: NewLocal(now), breaker: &breaker{now: now}, replicas: replicas, patience: patience}
}

// Allow is [Limiter.Allow].
func (l *Redis) Allow(ctx context.Context, key string, r Rate) (bool, time.Duration) {
	if r.interval() == 0 {
		return false, 0
	}
	wait, ok := l.run(ctx, allowScript, key, r)
	if !ok {
		return l.local.Allow(ctx, key, r.share(l.replicas))
	}
	return wait == 0, time.Duration(wait) * time.Microsecond
}

// Refund is [Limiter.Refund].
func (l *Redis) Refund(ctx context.Context, key string, r Rate) {
	if _, ok := l.run(ctx, refundScript, key, r); !ok {
		l.local.Refund(ctx, key, r.share(l.replicas))
	}
}

// Degraded reports whether the last call found Redis away.
func (l *Redis) Degraded() bool { return l.breaker.isOpen() }

// Check asks Redis whether it is there, for a state page that should not wait
// for the next request to notice. It returns what [Redis.Degraded] then says.
func (l *Redis) Check(ctx context.Context) (degraded bool) {
	l.call(ctx, func(ctx context.Context) error { return l.client.Ping(ctx).Err() })
	return l.Degraded()
}

// run runs a script on a key; ok is false when Redis did not answer.
func (l *Redis) run(ctx context.Context, s *redis.Script, key string, r Rate) (out int64, ok bool) {
	ok = l.call(ctx, func(ctx context.Context) (err error) {
		out, err = s.Run(ctx, l.client, []string{keyPrefix + key}, r.interval().Microseconds(), r.Burst).Int64()
		return err
	})
	return out, ok
}

// call makes a call through the breaker. A caller that gives up does not end
// it: what it tells of Redis must not depend on the caller.
func (l *Redis) call(ctx context.Context, f func(context.Context) error) bool {
	if !l.breaker.try() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.patience)
	defer cancel()
	ok := f(ctx) == nil
	l.breaker.report(ok)
	return ok
}
