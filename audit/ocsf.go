package audit

import "strings"

// OCSF class and version of the export.
const (
	ocsfVersion     = "1.3.0"
	ocsfApplication = 6    // category: Application Activity
	ocsfAPIActivity = 6003 // class: API Activity
)

// Event is a record under the names of the Open Cybersecurity Schema Framework,
// class API Activity. The members that the schema has no name for are in Unmapped.
type Event struct {
	Time         int64         `json:"time"` // unix milliseconds
	CategoryUID  int           `json:"category_uid"`
	ClassUID     int           `json:"class_uid"`
	ActivityID   int           `json:"activity_id"`
	ActivityName string        `json:"activity_name"`
	TypeUID      int           `json:"type_uid"`
	SeverityID   int           `json:"severity_id"`
	StatusID     int           `json:"status_id"`
	StatusCode   string        `json:"status_code"`
	StatusDetail string        `json:"status_detail,omitempty"`
	Actor        EventActor    `json:"actor"`
	API          EventAPI      `json:"api"`
	Source       EventEndpoint `json:"src_endpoint"`
	Resources    []EventThing  `json:"resources,omitempty"`
	Metadata     EventMetadata `json:"metadata"`
	Unmapped     EventUnmapped `json:"unmapped"`
}

// EventActor is who acted.
type EventActor struct {
	User      EventUser `json:"user"`
	InvokedBy string    `json:"invoked_by,omitempty"` // the tool, as claimed
}

// EventUser is a principal.
type EventUser struct {
	UID  string `json:"uid"`
	Type string `json:"type"` // token, person, cli, system
}

// EventAPI is what was called.
type EventAPI struct {
	Operation string        `json:"operation"`
	Request   *EventRequest `json:"request,omitempty"`
}

// EventRequest names a request.
type EventRequest struct {
	UID string `json:"uid"`
}

// EventEndpoint is where the call came from: the host, as claimed.
type EventEndpoint struct {
	Name string `json:"name"`
}

// EventThing is what was acted on.
type EventThing struct {
	UID       string `json:"uid"`
	Type      string `json:"type"`
	Namespace string `json:"namespace,omitempty"` // the workspace
}

// EventMetadata says who wrote the event.
type EventMetadata struct {
	Version  string       `json:"version"`
	Product  EventProduct `json:"product"`
	Sequence int64        `json:"sequence"`
	LogName  string       `json:"log_name"`
}

// EventProduct is Ambit.
type EventProduct struct {
	Name       string `json:"name"`
	VendorName string `json:"vendor_name"`
}

// EventUnmapped is what the schema has no name for.
type EventUnmapped struct {
	ActsFor   string `json:"acts_for,omitempty"`
	Workspace string `json:"workspace_id,omitempty"`
	Key       string `json:"idempotency_key,omitempty"`
	Replay    bool   `json:"replay,omitempty"`
	Digest    string `json:"request_digest,omitempty"`
	Prev      string `json:"prev_hash"`
	Hash      string `json:"hash"`
}

// OCSF returns the record as an event of the class API Activity.
func OCSF(e Entry) Event {
	id, name := activity(e.Route)
	event := Event{
		Time: int64(e.At), CategoryUID: ocsfApplication, ClassUID: ocsfAPIActivity,
		ActivityID: id, ActivityName: name, TypeUID: ocsfAPIActivity*100 + id,
		SeverityID: 1, StatusID: 1, StatusCode: e.Outcome, StatusDetail: e.Detail,
		Actor:     EventActor{User: user(e.Principal), InvokedBy: e.Tool},
		API:       EventAPI{Operation: e.Route},
		Source:    EventEndpoint{Name: e.Host},
		Resources: things(e),
		Metadata: EventMetadata{
			Version: ocsfVersion, Product: EventProduct{Name: "Ambit", VendorName: "Ambit"}, Sequence: e.Seq, LogName: "audit",
		},
		Unmapped: EventUnmapped{
			ActsFor: e.ActsFor, Workspace: e.Workspace, Key: e.Key, Replay: e.Replay, Digest: e.Digest, Prev: e.Prev, Hash: e.Hash,
		},
	}
	if e.Outcome != OK {
		event.SeverityID, event.StatusID = 2, 2 // low, failure
	}
	if e.RequestID != "" {
		event.API.Request = &EventRequest{UID: e.RequestID}
	}
	if event.Source.Name == "" {
		event.Source.Name = "unknown" // the schema asks for one of the endpoint's names
	}
	return event
}

// activities maps the last word of a route's name to the schema's activities.
var activities = []struct {
	words string
	id    int
	name  string
}{
	{" create mint register import ", 1, "Create"},
	{" get ", 2, "Read"},
	{" patch put ", 3, "Update"},
	{" delete revoke ", 4, "Delete"},
}

// activity returns the schema's activity; those that it does not know keep the
// route's last word as their name.
func activity(route string) (int, string) {
	word := route[strings.LastIndexByte(route, '_')+1:]
	for _, a := range activities {
		if strings.Contains(a.words, " "+word+" ") {
			return a.id, a.name
		}
	}
	return 99, word
}

func user(principal string) EventUser {
	kind, _, _ := strings.Cut(principal, ":")
	return EventUser{UID: principal, Type: kind}
}

func things(e Entry) []EventThing {
	kind, id, ok := strings.Cut(e.Entity, ":")
	if !ok {
		return nil
	}
	return []EventThing{{UID: id, Type: kind, Namespace: e.Workspace}}
}
