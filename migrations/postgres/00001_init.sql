-- +goose Up
-- Moments are unix milliseconds, UTC; 0 is "not yet". Texts that hold JSON are
-- never searched in. Nothing is null: an absent value is the zero value.

CREATE TABLE workspaces (
    id         text   NOT NULL PRIMARY KEY,
    name       text   NOT NULL,
    goal       text   NOT NULL,
    stage      text   NOT NULL,
    created_at bigint NOT NULL,
    created_by text   NOT NULL
);
CREATE UNIQUE INDEX workspaces_name ON workspaces (name);

CREATE TABLE tokens (
    id             text   NOT NULL PRIMARY KEY,
    name           text   NOT NULL,
    hash           text   NOT NULL,
    scope          bigint NOT NULL,
    workspaces     text   NOT NULL,
    acts_for       text   NOT NULL,
    max_concurrent bigint NOT NULL,
    max_daily      bigint NOT NULL,
    created_at     bigint NOT NULL,
    created_by     text   NOT NULL,
    expires_at     bigint NOT NULL,
    revoked_at     bigint NOT NULL,
    last_used_at   bigint NOT NULL
);
CREATE INDEX tokens_newest ON tokens (created_at, id);

-- One row. It grows with every revocation, so that replicas see from one
-- number that what they remember of tokens is old.
CREATE TABLE token_epoch (
    id    bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch bigint NOT NULL
);
INSERT INTO token_epoch (id, epoch) VALUES (1, 0);

CREATE TABLE people (
    id            text   NOT NULL PRIMARY KEY,
    email         text   NOT NULL,
    name          text   NOT NULL,
    role          bigint NOT NULL,
    workspaces    text   NOT NULL,
    password_hash text   NOT NULL,
    created_at    bigint NOT NULL,
    disabled_at   bigint NOT NULL
);
CREATE UNIQUE INDEX people_email ON people (email);
CREATE INDEX people_newest ON people (created_at, id);

CREATE TABLE sessions (
    id            text   NOT NULL PRIMARY KEY,
    hash          text   NOT NULL,
    person_id     text   NOT NULL REFERENCES people (id),
    created_at    bigint NOT NULL,
    last_seen_at  bigint NOT NULL,
    stepped_up_at bigint NOT NULL,
    agent         text   NOT NULL,
    address       text   NOT NULL
);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_person ON sessions (person_id);

CREATE TABLE links (
    hash       text   NOT NULL PRIMARY KEY,
    person_id  text   NOT NULL, -- empty: the link makes the first admin
    expires_at bigint NOT NULL,
    used_at    bigint NOT NULL
);

CREATE TABLE datasets (
    id                text   NOT NULL PRIMARY KEY,
    workspace_id      text   NOT NULL REFERENCES workspaces (id),
    name              text   NOT NULL,
    name_key          text   NOT NULL, -- the name in lower case
    description       text   NOT NULL,
    latest_version_id text   NOT NULL,
    created_at        bigint NOT NULL,
    created_by        text   NOT NULL,
    deleted_at        bigint NOT NULL
);
CREATE UNIQUE INDEX datasets_name ON datasets (workspace_id, name_key) WHERE deleted_at = 0;
CREATE INDEX datasets_newest ON datasets (workspace_id, created_at, id) WHERE deleted_at = 0;

CREATE TABLE dataset_versions (
    id             text   NOT NULL PRIMARY KEY,
    workspace_id   text   NOT NULL REFERENCES workspaces (id),
    dataset_id     text   NOT NULL REFERENCES datasets (id),
    number         bigint NOT NULL,
    row_count      bigint NOT NULL,
    column_list    text   NOT NULL,
    fingerprint    text   NOT NULL,
    bytes          bigint NOT NULL,
    format         text   NOT NULL,
    source_sha256  text   NOT NULL,
    engine_version text   NOT NULL,
    profile        text   NOT NULL,
    warnings       text   NOT NULL,
    created_at     bigint NOT NULL,
    created_by     text   NOT NULL
);
CREATE UNIQUE INDEX dataset_versions_number ON dataset_versions (dataset_id, number);

CREATE TABLE plans (
    id           text   NOT NULL PRIMARY KEY,
    workspace_id text   NOT NULL REFERENCES workspaces (id),
    dataset_id   text   NOT NULL REFERENCES datasets (id),
    state        text   NOT NULL CHECK (state IN ('ready', 'launched', 'cancelled')),
    spec         text   NOT NULL,
    hash         text   NOT NULL,
    note         text   NOT NULL,
    hypothesis   text   NOT NULL,
    origin       text   NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    run_id       text   NOT NULL,
    deleted_at   bigint NOT NULL
);
CREATE INDEX plans_newest ON plans (workspace_id, created_at, id) WHERE deleted_at = 0;
CREATE INDEX plans_dataset ON plans (dataset_id, state);

CREATE TABLE runs (
    id           text             NOT NULL PRIMARY KEY,
    workspace_id text             NOT NULL REFERENCES workspaces (id),
    plan_id      text             NOT NULL REFERENCES plans (id),
    token_id     text             NOT NULL,
    principal    text             NOT NULL,
    state        text             NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'aborted')),
    phase        text             NOT NULL,
    progress     double precision NOT NULL,
    failure      text             NOT NULL,
    attempt      bigint           NOT NULL,
    lease_owner  text             NOT NULL,
    lease_epoch  bigint           NOT NULL,
    lease_until  bigint           NOT NULL,
    job_id       bigint           NOT NULL,
    abort_at     bigint           NOT NULL,
    created_at   bigint           NOT NULL,
    started_at   bigint           NOT NULL,
    ended_at     bigint           NOT NULL,
    deleted_at   bigint           NOT NULL
);
CREATE UNIQUE INDEX runs_plan ON runs (plan_id);
CREATE INDEX runs_newest ON runs (workspace_id, created_at, id) WHERE deleted_at = 0;
CREATE INDEX runs_budget ON runs (token_id, state);
CREATE INDEX runs_day ON runs (token_id, created_at);
CREATE INDEX runs_leases ON runs (lease_until, lease_owner) WHERE state = 'running';

CREATE TABLE trials (
    id           text             NOT NULL PRIMARY KEY,
    workspace_id text             NOT NULL REFERENCES workspaces (id),
    run_id       text             NOT NULL REFERENCES runs (id),
    position     bigint           NOT NULL,
    name         text             NOT NULL,
    family       text             NOT NULL,
    state        text             NOT NULL,
    params       text             NOT NULL,
    folds        text             NOT NULL,
    cv           double precision NOT NULL,
    se           double precision NOT NULL,
    rounds       bigint           NOT NULL,
    seconds      double precision NOT NULL,
    bytes        bigint           NOT NULL,
    sha256       text             NOT NULL,
    artifact     text             NOT NULL,
    evaluation   text             NOT NULL,
    failure      text             NOT NULL
);
CREATE INDEX trials_run ON trials (run_id, position);

CREATE TABLE run_events (
    run_id text   NOT NULL REFERENCES runs (id),
    seq    bigint NOT NULL,
    at     bigint NOT NULL,
    kind   text   NOT NULL,
    data   text   NOT NULL,
    PRIMARY KEY (run_id, seq)
);

CREATE TABLE models (
    id           text             NOT NULL PRIMARY KEY,
    workspace_id text             NOT NULL REFERENCES workspaces (id),
    name         text             NOT NULL,
    status       text             NOT NULL CHECK (status IN ('registered', 'published', 'champion', 'retired')),
    run_id       text             NOT NULL REFERENCES runs (id),
    trial_id     text             NOT NULL,
    plan_id      text             NOT NULL,
    dataset_id   text             NOT NULL,
    family       text             NOT NULL,
    trial_name   text             NOT NULL,
    task         text             NOT NULL,
    target       text             NOT NULL,
    metric       text             NOT NULL,
    cv           double precision NOT NULL,
    se           double precision NOT NULL,
    sha256       text             NOT NULL,
    bytes        bigint           NOT NULL,
    artifact     text             NOT NULL,
    evaluation   text             NOT NULL,
    created_at   bigint           NOT NULL,
    created_by   text             NOT NULL,
    promoted_at  bigint           NOT NULL,
    promoted_by  text             NOT NULL,
    deleted_at   bigint           NOT NULL
);
CREATE UNIQUE INDEX models_name ON models (workspace_id, name) WHERE deleted_at = 0;
CREATE UNIQUE INDEX models_champion ON models (workspace_id) WHERE status = 'champion' AND deleted_at = 0;
CREATE INDEX models_newest ON models (workspace_id, created_at, id) WHERE deleted_at = 0;
CREATE INDEX models_dataset ON models (dataset_id);
CREATE INDEX models_run ON models (run_id);

CREATE TABLE idempotency_records (
    principal   text   NOT NULL,
    value       text   NOT NULL,
    fingerprint text   NOT NULL,
    status      bigint NOT NULL,
    headers     text   NOT NULL,
    body        bytea  NOT NULL,
    digest      text   NOT NULL,
    created_at  bigint NOT NULL,
    expires_at  bigint NOT NULL,
    PRIMARY KEY (principal, value)
);
CREATE INDEX idempotency_records_expiry ON idempotency_records (expires_at);

CREATE TABLE audit_log (
    seq             bigint  NOT NULL PRIMARY KEY,
    at              bigint  NOT NULL,
    principal       text    NOT NULL,
    acts_for        text    NOT NULL,
    tool            text    NOT NULL,
    host            text    NOT NULL,
    route           text    NOT NULL,
    workspace_id    text    NOT NULL,
    entity          text    NOT NULL,
    outcome         text    NOT NULL,
    detail          text    NOT NULL,
    idempotency_key text    NOT NULL,
    replay          boolean NOT NULL,
    request_digest  text    NOT NULL,
    request_id      text    NOT NULL,
    prev_hash       text    NOT NULL,
    hash            text    NOT NULL
);
CREATE INDEX audit_log_principal ON audit_log (principal, seq);
CREATE INDEX audit_log_workspace ON audit_log (workspace_id, seq);
CREATE INDEX audit_log_route ON audit_log (route, seq);
CREATE INDEX audit_log_tool ON audit_log (tool, seq);
CREATE INDEX audit_log_outcome ON audit_log (outcome, seq);
CREATE INDEX audit_log_entity ON audit_log (entity, seq);

-- One row: the end of the chain. Who appends locks it.
CREATE TABLE audit_head (
    id        bigint NOT NULL PRIMARY KEY CHECK (id = 1),
    seq       bigint NOT NULL,
    hash      text   NOT NULL,
    signature text   NOT NULL
);
INSERT INTO audit_head (id, seq, hash, signature) VALUES (1, 0, '', '');

-- A bug of ours must not be able to change the log either.
-- +goose StatementBegin
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_log is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
