package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ambit/internal/fault"
	"ambit/internal/strictjson"
)

// decode reads the query and the body, once, into the value that the handler gets.
func (s *Server) decode(_ context.Context, r *request) error {
	in := reflect.New(r.end.in)
	r.in = in.Interface()
	if err := decodeQuery(r.c.Request.URL.RawQuery, in.Elem()); err != nil {
		return err
	}
	if r.c.Request.Method == http.MethodGet || r.c.Request.Method == http.MethodHead {
		return nil
	}
	if r.route.Upload {
		return decodeUpload(r)
	}
	return decodeBody(r)
}

// decodeBody reads a JSON body. A route without input takes no body or an empty object.
func decodeBody(r *request) error {
	raw, err := io.ReadAll(http.MaxBytesReader(r.c.Writer, r.c.Request.Body, maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge()
	case err != nil:
		return fault.New(fault.Malformed, "The body could not be read to its end.").Because(err)
	}
	r.body = raw
	if len(raw) == 0 && takesNothing(r.end.in) {
		return nil
	}
	if err := checkMediaType(r.c.Request.Header.Values("Content-Type")); err != nil {
		return err
	}
	if enc := r.c.GetHeader("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return fault.New(fault.UnsupportedMediaType, "Bodies are taken as they are, not encoded.").WithFix("Leave out Content-Encoding.")
	}
	return strictjson.Decode(raw, r.in)
}

// takesNothing reports whether every field of a body may be left out.
func takesNothing(t reflect.Type) bool {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("json") != "" && !strings.Contains(f.Tag.Get("json"), "omitempty") && f.Tag.Get("json") != "-" {
			return false
		}
	}
	return true
}

func checkMediaType(values []string) error {
	if len(values) == 1 {
		if kind, _, err := mime.ParseMediaType(values[0]); err == nil && kind == "application/json" {
			return nil
		}
	}
	return fault.New(fault.UnsupportedMediaType, "The body must be application/json.").WithFix("Send \"Content-Type: application/json\", once.")
}

// decodeQuery reads the fields tagged query:"name". What no field takes is refused.
func decodeQuery(raw string, in reflect.Value) error {
	if raw == "" {
		return nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return fault.New(fault.Malformed, "The query cannot be read.").WithFix("Percent-encode its values.")
	}
	fields := map[string]reflect.Value{}
	if in.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(in.Type()) {
			if name := f.Tag.Get("query"); name != "" {
				fields[name] = in.FieldByIndex(f.Index)
			}
		}
	}
	var wrong []fault.Field
	for name, got := range values {
		if f := badText(name, got); f != nil {
			wrong = append(wrong, *f)
			continue
		}
		if f := setQuery(name, got, fields); f != nil {
			wrong = append(wrong, *f)
		}
	}
	sort.Slice(wrong, func(i, j int) bool { return wrong[i].Path < wrong[j].Path })
	return fault.InvalidFields(wrong)
}

// badText returns what is wrong with values that no text in the database can be.
func badText(name string, got []string) *fault.Field {
	for _, v := range got {
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			return &fault.Field{Path: "query." + claim(name), Rule: "must be text in UTF-8 without a NUL character"}
		}
	}
	return nil
}

func setQuery(name string, got []string, fields map[string]reflect.Value) *fault.Field {
	field, ok := fields[name]
	path := "query." + claim(name)
	switch {
	case !ok:
		return &fault.Field{Path: path, Rule: "is not a parameter here", Valid: sortedKeys(fields)}
	case len(got) > 1:
		return &fault.Field{Path: path, Rule: "must be there once"}
	}
	if field.Kind() == reflect.String {
		field.SetString(got[0])
		return nil
	}
	n, err := strconv.ParseInt(got[0], 10, 64)
	if err != nil {
		return &fault.Field{Path: path, Rule: "must be a whole number"}
	}
	field.SetInt(n)
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// uploadBody is the input of an upload: the file is read while it arrives.
type uploadBody struct {
	Name     string // of the dataset, from the form
	FileName string
	File     io.Reader
}

// maxFormField bounds a field of an upload's form, in bytes.
const maxFormField = 4 << 10

// decodeUpload reads the form up to the file, which must be its last part.
func decodeUpload(r *request) error {
	r.c.Request.Body = patient{r.c.Request.Body, http.NewResponseController(r.c.Writer)}
	form, err := r.c.Request.MultipartReader()
	if err != nil {
		return fault.New(fault.UnsupportedMediaType, "An upload must be multipart/form-data.").WithFix("Send the fields \"name\" and, last, \"file\".")
	}
	in := r.in.(*uploadBody)
	for {
		part, err := form.NextRawPart()
		if err != nil {
			return fault.InvalidFields([]fault.Field{{Path: "file", Rule: "is required, as the last part of the form"}})
		}
		switch part.FormName() {
		case "file":
			in.FileName, in.File = part.FileName(), sentFile{part, form}
			return nil
		case "name":
			raw, err := io.ReadAll(io.LimitReader(part, maxFormField+1))
			if err != nil || len(raw) > maxFormField || in.Name != "" {
				return fault.InvalidFields([]fault.Field{{Path: "name", Rule: fmt.Sprintf("must be there once, with at most %d bytes", maxFormField)}})
			}
			in.Name = string(raw)
		default:
			return fault.InvalidFields([]fault.Field{{Path: "form." + claim(part.FormName()), Rule: "is not a part here", Valid: []string{"name", "file"}}})
		}
	}
}

// stallsFor is how long an upload may wait for its next bytes.
const stallsFor = 30 * time.Second

// patient is the body of an upload, which takes as long as it takes, if it comes:
// the time that other bodies have starts again with every read.
type patient struct {
	io.ReadCloser
	conn *http.ResponseController
}

func (b patient) Read(p []byte) (int, error) {
	_ = b.conn.SetReadDeadline(time.Now().Add(stallsFor))
	n, err := b.ReadCloser.Read(p)
	if err != nil { // from here on the server listens for the client to hang up
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

// sentFile is a file while it arrives. That it does not arrive whole, or that
// something comes after it, is the sender's fault, not ours.
type sentFile struct {
	part io.Reader
	form *multipart.Reader
}

func (f sentFile) Read(p []byte) (int, error) {
	n, err := f.part.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		if _, last := f.form.NextRawPart(); last == nil {
			err = fault.InvalidFields([]fault.Field{{Path: "file", Rule: "must be the last part of the form"}})
		}
	case err != nil:
		err = fault.New(fault.Malformed, "The upload ended before its file did.").WithFix("Send the whole form again.").Because(err)
	}
	return n, err
}
