package checkout

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// objects reads the objects of a repository. It first asks git for the type and size of an object, so that a large one
// is never unpacked.
type objects struct{ about, contents *conversation }

// A conversation is a running git process that answers one question after another.
type conversation struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (g git) objects(ctx context.Context) (*objects, error) {
	about, err := g.converse(ctx, "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	contents, err := g.converse(ctx, "cat-file", "--batch")
	if err != nil {
		about.end()
		return nil, err
	}
	return &objects{about, contents}, nil
}

func (o *objects) close() {
	o.about.end()
	o.contents.end()
}

func (g git) converse(ctx context.Context, args ...string) (*conversation, error) {
	cmd := inOwnProcessGroup(g.command(ctx, args...))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	return &conversation{cmd, in, bufio.NewReaderSize(out, 64<<10)}, nil
}

// end kills the process, even in the middle of an answer.
func (c *conversation) end() {
	_ = c.in.Close()
	_ = c.cmd.Cancel() // it only reads: nothing is lost
	_ = c.cmd.Wait()
}

// ask sends the name of an object, and returns the type and size in the line that answers.
func (c *conversation) ask(id string) (kind string, size int64, err error) {
	if _, err := io.WriteString(c.in, id+"\n"); err != nil {
		return "", 0, fmt.Errorf("git cat-file: %w", err)
	}
	line, err := c.out.ReadSlice('\n')
	if err != nil {
		return "", 0, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(string(line))
	if len(fields) != 3 || fields[0] != id {
		return "", 0, fmt.Errorf("git cat-file: the object %s is not there", id)
	}
	size, err = strconv.ParseInt(fields[2], 10, 64)
	return fields[1], size, err
}

// errLarge says that an object is larger than the caller allows.
var errLarge = errors.New("it is too large")

// size returns the size of an object in bytes, or an error if it is not of that kind.
func (o *objects) size(id, kind string) (int64, error) {
	if !validCommit(id) {
		return 0, fmt.Errorf("%q is no object", id)
	}
	is, size, err := o.about.ask(id)
	if err == nil && is != kind {
		err = fmt.Errorf("the object %s is a %s and no %s", id, is, kind)
	}
	return size, err
}

// read returns the contents of an object of that kind, or errLarge if it has more than most bytes.
func (o *objects) read(id, kind string, most int64) ([]byte, error) {
	size, err := o.size(id, kind)
	if err != nil {
		return nil, err
	}
	if size > most {
		return nil, errLarge
	}
	if _, again, err := o.contents.ask(id); err != nil || again != size {
		return nil, errors.Join(err, fmt.Errorf("git cat-file: %s has %d bytes and %d", id, size, again))
	}
	data := make([]byte, size+1) // with the newline after it
	if _, err := io.ReadFull(o.contents.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return data[:size], nil
}
