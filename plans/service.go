package plans

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"ambit/datasets"
	"ambit/internal/clock"
	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/internal/page"
)

const (
	defaultExpiry = 24 * time.Hour
	maxExpiry     = 30 * 24 * time.Hour
	maxText       = 2 << 10 // bytes of a note or a hypothesis
)

// Request is what a caller asks for; what is left out is resolved.
type Request struct {
	DatasetID  string         `json:"dataset_id" entity:"dataset" doc:"The dataset to learn from."`
	Target     string         `json:"target" doc:"The column to predict."`
	Positive   string         `json:"positive,omitempty" doc:"The positive class; default the rarer one."`
	Task       Task           `json:"task,omitempty" enum:"binary,multiclass,regression" doc:"Default: inferred from the target."`
	Metric     string         `json:"metric,omitempty" enum:"auc,logloss,rmse" doc:"What trials are ranked by; default by task."`
	Ignore     []string       `json:"ignore,omitempty" doc:"Columns not to learn from."`
	Split      *SplitRequest  `json:"split,omitempty"`
	Families   []Family       `json:"families,omitempty" enum:"linear,forest,gbtree" doc:"Default: all. The floor is always there."`
	Budget     *BudgetRequest `json:"budget,omitempty"`
	Seed       *int64         `json:"seed,omitempty" doc:"Seed of the fits; default 42."`
	ExpiresInS int            `json:"expires_in_s,omitempty" doc:"Seconds until the plan can no longer launch; default 86,400."`
	Note       string         `json:"note,omitempty" doc:"At most 2 KiB."`
	Hypothesis string         `json:"hypothesis,omitempty" doc:"At most 2 KiB."`
}

// SplitRequest asks for a way to deal rows to folds.
type SplitRequest struct {
	K       int      `json:"k,omitempty" doc:"Folds, 2 to 20; default by the number of rows."`
	Seed    *int64   `json:"seed,omitempty" doc:"Default 42."`
	Holdout *float64 `json:"holdout,omitempty" doc:"Share of rows sealed away, 0 to 0.5; default by the number of rows."`
}

// BudgetRequest asks for bounds on the run.
type BudgetRequest struct {
	Seconds int `json:"time_s,omitempty" doc:"5 to 86,400; default 300."`
	Threads int `json:"threads,omitempty" doc:"Fits side by side, 1 to 16; default 2."`
}

// Resolver turns a request into a Spec that leaves nothing open.
type Resolver interface {
	// Resolve reads the target and decides task, split, features and engine.
	// Faults: invalid with every wrong field, engine_unavailable.
	Resolve(ctx context.Context, v datasets.Version, r Request) (Spec, error)
}

// Service makes and reads plans.
type Service struct {
	Store    Store
	Datasets datasets.Store
	Resolver Resolver
	Now      clock.Clock
}

// View is a plan as it is shown: its state seen now, and what changed if it is stale.
type View struct {
	Plan
	Sentence string   `json:"sentence"`          // what would happen, in words without untrusted text
	Changed  []string `json:"changed,omitempty"` // of a stale plan
}

// Draft is a plan that was resolved and not yet kept.
type Draft struct{ plan Plan }

// Prepare validates and resolves a request. It reads data, so it comes before the transaction.
// Faults: invalid with every wrong field, not_found, engine_unavailable.
func (s *Service) Prepare(ctx context.Context, workspace string, r Request) (Draft, error) {
	if err := fault.InvalidFields(r.wrong()); err != nil {
		return Draft{}, err
	}
	dataset, err := s.Datasets.Dataset(ctx, workspace, r.DatasetID)
	if err != nil {
		return Draft{}, err
	}
	version, err := s.Datasets.Version(ctx, workspace, dataset.Latest)
	if err != nil {
		return Draft{}, err
	}
	spec, err := s.Resolver.Resolve(ctx, version, r)
	if err != nil {
		return Draft{}, err
	}
	now := s.Now()
	return Draft{Plan{
		ID: ids.New("pl"), Workspace: workspace, Dataset: dataset.ID, State: Ready,
		Spec: spec, Hash: spec.Digest(), Note: r.Note, Hypothesis: r.Hypothesis,
		CreatedAt: now, ExpiresAt: now.Add(r.expiry()),
	}}, nil
}

// wrong checks what needs no data.
func (r Request) wrong() []fault.Field {
	var wrong []fault.Field
	need := func(ok bool, path, rule string, valid ...string) {
		if !ok {
			wrong = append(wrong, fault.Field{Path: path, Rule: rule, Valid: valid})
		}
	}
	need(r.DatasetID != "", "dataset_id", "is required")
	need(r.Target != "", "target", "is required: the name of the column to predict")
	need(len(r.Note) <= maxText, "note", "must have at most 2,048 bytes")
	need(len(r.Hypothesis) <= maxText, "hypothesis", "must have at most 2,048 bytes")
	need(r.ExpiresInS == 0 || r.ExpiresInS >= 1 && time.Duration(r.ExpiresInS) <= maxExpiry/time.Second,
		"expires_in_s", "must be from 1 to 2,592,000")
	if r.Split != nil {
		need(r.Split.K == 0 || r.Split.K >= 2 && r.Split.K <= 20, "split.k", "must be from 2 to 20")
		need(r.Split.Holdout == nil || *r.Split.Holdout >= 0 && *r.Split.Holdout <= 0.5, "split.holdout", "must be from 0 to 0.5")
	}
	if r.Budget != nil {
		need(r.Budget.Seconds == 0 || r.Budget.Seconds >= 5 && r.Budget.Seconds <= 86400, "budget.time_s", "must be from 5 to 86,400")
		need(r.Budget.Threads == 0 || r.Budget.Threads >= 1 && r.Budget.Threads <= 16, "budget.threads", "must be from 1 to 16")
	}
	return wrong
}

func (r Request) expiry() time.Duration {
	if r.ExpiresInS == 0 {
		return defaultExpiry
	}
	return time.Duration(r.ExpiresInS) * time.Second
}

// Digest returns the SHA-256 of the canonical Spec, in hex.
func (s Spec) Digest() string {
	raw, err := json.Marshal(s) // field order is the struct's
	if err != nil {
		panic("plans: a Spec that does not marshal: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Settings returns the digest of what is trained and how, whichever version of a
// dataset the content stands in: the fingerprint says what the content is.
func (s Spec) Settings() string {
	s.DatasetVersion, s.VersionNumber = "", 0
	return s.Digest()
}

// Create keeps a draft. Fault: plan_stale if the dataset changed since Prepare.
func (s *Service) Create(ctx context.Context, d Draft, origin Origin) (View, error) {
	p := d.plan
	p.Origin = origin
	changed, err := s.changed(ctx, p)
	if err != nil {
		return View{}, err
	}
	if len(changed) > 0 {
		return View{}, stale(changed)
	}
	if err := s.Store.InsertPlan(ctx, p); err != nil {
		return View{}, err
	}
	return s.view(ctx, p)
}

// Get returns a plan with its state as of now.
func (s *Service) Get(ctx context.Context, workspace, id string) (View, error) {
	p, err := s.Store.Plan(ctx, workspace, id)
	if err != nil {
		return View{}, err
	}
	return s.view(ctx, p)
}

// List returns the newest plans first.
func (s *Service) List(ctx context.Context, workspace string, p page.Page) (page.List[View], error) {
	found, err := s.Store.Plans(ctx, workspace, p)
	if err != nil {
		return page.List[View]{}, err
	}
	views := make([]View, len(found))
	for i, plan := range found {
		if views[i], err = s.view(ctx, plan); err != nil {
			return page.List[View]{}, err
		}
	}
	return page.Cut(views, p.Limit, func(v View) page.Cursor { return page.Cursor{At: v.CreatedAt, ID: v.ID} }), nil
}

func (s *Service) view(ctx context.Context, p Plan) (View, error) {
	v := View{Plan: p, Sentence: p.Spec.sentence()}
	if p.State != Ready {
		return v, nil
	}
	changed, err := s.changed(ctx, p)
	switch {
	case err != nil:
		return View{}, err
	case len(changed) > 0:
		v.State, v.Changed = Stale, changed
	case s.Now() >= p.ExpiresAt:
		v.State = Expired
	}
	return v, nil
}

// changed names what is no longer as the plan was made for.
func (s *Service) changed(ctx context.Context, p Plan) ([]string, error) {
	d, err := s.Datasets.Dataset(ctx, p.Workspace, p.Dataset)
	if fault.Is(err, fault.NotFound) {
		return []string{"dataset"}, nil
	}
	if err != nil || d.Latest == p.Spec.DatasetVersion {
		return nil, err
	}
	v, err := s.Datasets.Version(ctx, p.Workspace, d.Latest)
	if err != nil {
		return nil, err
	}
	if v.Fingerprint != p.Spec.Fingerprint {
		return []string{"fingerprint"}, nil
	}
	return nil, nil
}

// Take moves a plan to launched, as the run, in the caller's transaction.
// Faults: not_found, plan_already_launched (names the run), plan_expired,
// plan_stale, conflict (cancelled, or another hash than the caller saw).
func (s *Service) Take(ctx context.Context, workspace, id, hash, run string) (Plan, error) {
	v, err := s.Get(ctx, workspace, id)
	if err != nil {
		return Plan{}, err
	}
	if err := v.launchable(hash); err != nil {
		return Plan{}, err
	}
	moved, err := s.Store.MovePlan(ctx, workspace, id, Ready, Launched, run)
	if err != nil || moved {
		return v.Plan, err
	}
	if v, err = s.Get(ctx, workspace, id); err != nil { // somebody else was first
		return Plan{}, err
	}
	return Plan{}, v.launchable(hash)
}

func (v View) launchable(hash string) error {
	switch v.State {
	case Ready:
		if hash != "" && hash != v.Hash {
			return fault.New(fault.Conflict, "The plan's hash is not the one you saw.").WithFix("Read the plan again, and launch what it says now.")
		}
		return nil
	case Launched:
		return fault.New(fault.PlanAlreadyLaunched, "This plan was launched as run %s.", v.Run).
			WithFix("Follow that run; to train again, make a new plan.").With("run_id", v.Run)
	case Expired:
		return fault.New(fault.PlanExpired, "This plan expired at %s.", v.ExpiresAt).WithFix("Make a new plan.")
	case Stale:
		return stale(v.Changed)
	}
	return fault.New(fault.Conflict, "This plan is %s.", v.State).WithFix("Make a new plan.")
}

func stale(changed []string) error {
	return fault.New(fault.PlanStale, "The plan was made for other data: the %s changed.", changed[0]).
		WithFix("Make a new plan on the dataset as it is now.").With("changed", changed)
}

// Cancel ends a plan that was not launched.
// Faults: not_found, conflict, plan_already_launched.
func (s *Service) Cancel(ctx context.Context, workspace, id string) (View, error) {
	moved, err := s.Store.MovePlan(ctx, workspace, id, Ready, Cancelled, "")
	if err != nil {
		return View{}, err
	}
	v, err := s.Get(ctx, workspace, id)
	if err == nil && !moved && v.State != Cancelled {
		err = v.launchable("")
	}
	return v, err
}

// Delete hides a plan, in the caller's transaction. Fault: in_use if it was launched.
func (s *Service) Delete(ctx context.Context, workspace, id string) error {
	// Cancelled first: of a launch at the same time and this, one comes second and sees it.
	if _, err := s.Store.MovePlan(ctx, workspace, id, Ready, Cancelled, ""); err != nil {
		return err
	}
	p, err := s.Store.Plan(ctx, workspace, id)
	if err != nil {
		return err
	}
	if p.State == Launched {
		return fault.New(fault.InUse, "Run %s was launched from this plan.", p.Run).WithFix("Delete the run first.")
	}
	return s.Store.DeletePlan(ctx, workspace, id, s.Now())
}

// sentence says what the plan does without a caller's text.
func (s Spec) sentence() string {
	rows := fmt.Sprintf("%d rows, %d features, %d folds", s.Rows, len(s.Features), s.Split.K)
	if s.Split.Holdout > 0 {
		rows += fmt.Sprintf(", %.0f%% sealed away", s.Split.Holdout*100)
	}
	return fmt.Sprintf("%s task on %s, ranked by %s, at most %d s.", s.Task, rows, s.Metric.Name, s.Budget.Seconds)
}
