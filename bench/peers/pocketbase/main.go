// Command pocketbase is a peer that the benchmark compares Palmarès with: PocketBase, a
// ready-made backend on SQLite, holding the same tools.
//
// It is a module of its own, so that Palmarès does not depend on what PocketBase needs. It keeps PocketBase's
// defaults and the SQLite driver it ships with, but writes no request log, and has no hook, no backup and no
// rate limit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8082", "where to listen")
	data := flag.String("data", "", "directory of the SQLite files")
	from := flag.String("import", "", "URL of a Palmarès node to copy the tools from; PALMARES_KEY is the key to show it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *data, *from); err != nil {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1) //nolint:gocritic // the signals matter no more
	}
}

func run(ctx context.Context, listen, data, from string) error {
	if data == "" {
		return errors.New("-data is missing: a directory to keep the SQLite files in")
	}
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: data})
	if err := app.Bootstrap(); err != nil {
		return fmt.Errorf("starting PocketBase: %w", err)
	}
	if err := app.RunAllMigrations(); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	app.Settings().Logs.MaxDays = 0 // no request is logged
	if err := app.Save(app.Settings()); err != nil {
		return fmt.Errorf("saving the settings: %w", err)
	}
	if from != "" {
		if err := importTools(ctx, app, from, os.Getenv("PALMARES_KEY")); err != nil {
			return fmt.Errorf("importing from %s: %w", from, err)
		}
	}
	best, err := app.FindRecordsByFilter(collection, "", "-score", 1, 0)
	if err != nil {
		return fmt.Errorf("looking for a tool (was -import ever given?): %w", err)
	}
	if len(best) == 0 {
		return fmt.Errorf("%s holds no tool: use -import", data)
	}
	return serve(ctx, app, listen, func() {
		const records = "/api/collections/" + collection + "/records"
		fmt.Println("ready")
		fmt.Println("one", records+"/"+best[0].Id)
		fmt.Println("list", records+"?perPage=50&sort=-score")
	})
}

// serve calls ready when the port is open, and stops as PocketBase's own command does.
func serve(ctx context.Context, app core.App, listen string, ready func()) error {
	listening := make(chan struct{})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.InstallerFunc = nil // nobody is there to create the first administrator
		if err := e.Next(); err != nil {
			return err
		}
		close(listening)
		return nil
	})
	served := make(chan error, 1)
	go func() { served <- apis.Serve(app, apis.ServeConfig{HttpAddr: listen}) }()
	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-listening:
		ready()
	}

	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	event := &core.TerminateEvent{App: app}
	err := app.OnTerminate().Trigger(event, func(e *core.TerminateEvent) error { return e.App.ResetBootstrapState() })
	if err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	return <-served
}
