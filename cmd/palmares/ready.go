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

type readyCommand struct{}

// Help is shown by palmares ready --help.
func (readyCommand) Help() string {
	return `Asks the node on this machine, at PALMARES_ADMIN_LISTEN, whether it is ready to serve,
and prints its answer. It is the health check of a container that holds no other program.

Exit status: 0 if the node is ready, 1 if it is not or does not answer.`
}

func (readyCommand) Run(ctx context.Context, con *console) error {
	cfg, err := config.ReadAdmin(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	address := cfg.AdminListen
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
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
