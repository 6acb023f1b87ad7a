package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/config"
)

// readyTimeout is how long a node may take to say whether it is ready.
const readyTimeout = 5 * time.Second

type readyCommand struct {
	Live bool `help:"Ask whether the node runs at all: for checks that restart what fails them."`
}

// Help is shown by palmares ready --help.
func (readyCommand) Help() string {
	return `Asks the node on this machine, at PALMARES_ADMIN_LISTEN, whether it is ready to serve,
and prints its answer. It is the health check of a container that holds no other program.

A node that waits for its database, or that is about to stop, is not ready, but alive: a load
balancer should leave it out, and nobody should restart it. A check whose failure leads to a restart
asks with --live.

Exit status: 0 if the node is ready (with --live: if it answers), 1 if it is not or does not answer.`
}

func (c readyCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadAdmin(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	address := cfg.AdminListen
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	path := "/readyz"
	if c.Live {
		path = "/livez"
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		return fmt.Errorf("PALMARES_ADMIN_LISTEN is %q: %w", cfg.AdminListen, err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("no node answers: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("the node's response was cut off: %w", err)
	}
	told := strings.TrimSpace(string(text))
	if resp.StatusCode != http.StatusOK {
		return errors.New(told)
	}
	fmt.Fprintln(con.out, told)
	return nil
}
