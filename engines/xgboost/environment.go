package xgboost

import (
	"os"
	"runtime"
	"strconv"
)

// inherited names what a child takes over of the server's environment: where
// the system's loader looks for libraries.
var inherited = []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"}

// environment returns a child's whole environment. It has to be set from
// outside: the C library's runtime reads it before any Go code runs. With the
// passive policy threads that wait sleep; spinning, which is the default, makes
// a small fit on a busy machine 50 times slower.
func environment() []string {
	env := []string{
		"OMP_WAIT_POLICY=passive",
		"OMP_NUM_THREADS=" + strconv.Itoa(runtime.GOMAXPROCS(0)),
		"GOTRACEBACK=none",
		"LC_ALL=C",
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
