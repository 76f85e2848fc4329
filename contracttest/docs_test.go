package contracttest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ambit/tokens"
)

func TestSecurityPageHasTheTokenPattern(t *testing.T) {
	page, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n    "+tokens.Pattern+"\n") {
		t.Errorf("docs/security.md does not tell scanners to look for %s", tokens.Pattern)
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)

func TestLinksOfPagesResolve(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	links := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
	if links == 0 {
		t.Error("no page has a link: what is looked for is wrong")
	}
}
