package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// exitRaw is the status of a command whose output has a raw format; no script wants it.
const exitRaw = 99

// scripted is the program as scripts run it: whatever a script looks for, nothing that it prints is raw.
func scripted() {
	stderr := os.Stderr
	printed := []func() string{overhear(&os.Stdout), overhear(&os.Stderr)}
	code := run(os.Args[1:])
	for _, text := range printed {
		for _, fault := range testkit.RawFormats("text/plain", text()) {
			fmt.Fprintf(stderr, "palmares %q prints %s\n", os.Args[1:], fault)
			code = exitRaw
		}
	}
	os.Exit(code)
}

// overhear has what is printed to a file pass through here. The function that it returns ends that, and says what it was.
func overhear(file **os.File) (end func() string) {
	to := *file
	if info, err := to.Stat(); err != nil || info.Mode()&os.ModeDevice != 0 { // a full one must itself say so
		return func() string { return "" }
	}
	from, through, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	*file = through
	heard := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(io.MultiWriter(&b, to), from) // who reads it may be gone
		_, _ = io.Copy(&b, from)
		heard <- b.String()
	}()
	return func() string {
		_ = through.Close()
		return <-heard
	}
}
