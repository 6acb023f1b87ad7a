package content

import "bytes"

// The lines that git writes around the versions that it could not merge.
const (
	ours   = "<<<<<<<"
	middle = "======="
	theirs = ">>>>>>>"
)

const mergeAdvice = "keep one of the two versions, and remove the lines that begin with " + ours + ", " + middle + " and " + theirs

// merged reports whether the file is free of merge markers outside of fenced code blocks, and reports a fault
// for each one.
func (d *document) merged() bool {
	if !bytes.Contains(d.data, []byte(ours)) && !bytes.Contains(d.data, []byte(theirs)) {
		return true
	}
	sound, open, code := true, false, ""
	for offset, rest := 0, d.data; len(rest) > 0; offset = len(d.data) - len(rest) {
		var line []byte
		line, rest = cutLine(rest)
		code = fenced(line, code)
		begins := marker(line, ours) || marker(line, theirs) && !open
		if code != "" || !begins && !marker(line, theirs) {
			continue
		}
		if begins {
			d.fault(d.positionOf(offset), "merge marker %q: %s", cutValue(string(line)), mergeAdvice)
			sound = false
		}
		open = marker(line, ours)
	}
	return sound
}

// marker reports whether a line is a merge marker: alone, or with the name of a version.
func marker(line []byte, sign string) bool {
	name, found := bytes.CutPrefix(line, []byte(sign))
	return found && (len(name) == 0 || name[0] == ' ')
}

// fenced returns the fence that is open after the line, "" for none; open is the one open before it.
func fenced(line []byte, open string) string {
	text := bytes.TrimLeft(line, " ")
	for _, sign := range []string{"```", "~~~"} {
		if !bytes.HasPrefix(text, []byte(sign)) || len(line)-len(text) > 3 {
			continue
		}
		switch open {
		case "":
			return sign
		case sign:
			return ""
		}
	}
	return open
}
