package xgboost

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestSignatures compares the Go types of what is bound with the C declarations
// that the compiler checks against the header.
func TestSignatures(t *testing.T) {
	source, err := os.ReadFile("signatures_cgo.go")
	if err != nil {
		t.Fatal(err)
	}
	goTypes := map[string]string{
		"int32_t": "int32", "uint64_t": "uint64", "const char *": "string", "void *": "unsafe.Pointer", "const void *": "unsafe.Pointer",
		"int32_t *": "*int32", "uint64_t *": "*uint64", "void **": "*unsafe.Pointer", "void *const *": "*unsafe.Pointer",
		"const char **": "*unsafe.Pointer", "const uint64_t **": "*unsafe.Pointer", "const float **": "*unsafe.Pointer", "void": "",
	}
	declared := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+|const char \*) ?(XG\w+)\((.*)\);$`).FindAllStringSubmatch(string(source), -1) {
		var in []string
		for _, c := range strings.Split(m[3], ", ") {
			if c != "" {
				in = append(in, goTypes[c])
			}
		}
		declared[m[2]] = strings.TrimSpace("func(" + strings.Join(in, ", ") + ") " + goTypes[m[1]])
	}
	var lib library
	for _, s := range lib.symbols() {
		if got := reflect.TypeOf(s.target).Elem().String(); got != declared[s.name] {
			t.Errorf("%s is bound as %s, declared as %s", s.name, got, declared[s.name])
		}
		delete(declared, s.name)
	}
	if len(declared) != 0 {
		t.Errorf("declared and not bound: %v", declared)
	}
	if fields := reflect.TypeFor[library]().NumField(); fields != len(lib.symbols()) {
		t.Errorf("%d functions, %d symbols", fields, len(lib.symbols()))
	}
}
