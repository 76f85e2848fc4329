// Package contracttest holds Ambit to its word: what the law says of every
// route, code and tool is written down here by hand, and the real server is
// asked, with every kind of credential, whether it keeps to it.
//
// The files *.golden under testdata are written from the law and never from the
// code: nothing regenerates them. A test that fails here names the line that
// the two disagree on; a person decides which of them is wrong.
//
// The package has tests only.
package contracttest
