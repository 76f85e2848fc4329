package app

import (
	"time"

	"github.com/redis/go-redis/v9"

	"ambit/internal/limits"
)

// limiter counts events, and says whether it counts alone though it should not.
type limiter interface {
	limits.Limiter
	Degraded() bool
	Close() error
}

// alone limits in this process: with SQLite there is no other.
type alone struct{ limits.Limiter }

func (alone) Degraded() bool { return false }
func (alone) Close() error   { return nil }

// shared limits through Redis, and closes its connections.
type shared struct {
	*limits.Redis
	client *redis.Client
}

func (s shared) Close() error { return s.client.Close() }

// replicas is how many processes share a limit when Redis is away. It errs on
// the side of refusing.
const replicas = 4

func newLimiter(url string) (limiter, error) {
	if url == "" {
		return alone{limits.NewLocal(time.Now)}, nil
	}
	options, err := limits.RedisOptions(url)
	if err != nil {
		return nil, err
	}
	c := redis.NewClient(options)
	return shared{limits.NewRedis(c, replicas, time.Now), c}, nil
}
