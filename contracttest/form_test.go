package contracttest

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
)

// form is a multipart body.
type form struct {
	kind string
	body []byte
}

// upload is the form of a table: its name, and the file that it is in.
func upload(name, file string, content []byte) form {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("name", name) // a buffer takes everything
	part, _ := w.CreateFormFile("file", file)
	part.Write(content)
	w.Close()
	return form{w.FormDataContentType(), b.Bytes()}
}

// separable is a table in which the class mostly follows from the numbers.
func separable(rows int) []byte {
	var b strings.Builder
	b.WriteString("size,colour,noise,class\n")
	for i := range rows {
		class := "no"
		if (i*7)%10 > 5 != (i%13 == 0) {
			class = "yes"
		}
		fmt.Fprintf(&b, "%d,%s,%d,%s\n", (i*7)%10, []string{"red", "green", "blue"}[i%3], (i*31)%17, class)
	}
	return []byte(b.String())
}
