package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// filters are the options that say which events a new endpoint receives.
type filters struct {
	Type        []string `placeholder:"TYPE" help:"Only events of this type; may be repeated. All by default."`
	Category    []string `placeholder:"SLUG" help:"Only events about this category; may be repeated. All by default."`
	Description string   `help:"What the endpoint is for."`
}

func (f filters) draft() (d webhook.Draft, err error) {
	if d.Types, err = webhook.ParseTypes(f.Type); err != nil {
		return d, err
	}
	if d.Categories, err = webhook.ParseCategories(f.Category); err != nil {
		return d, err
	}
	d.Description, err = webhook.ParseDescription(f.Description)
	return d, err
}

// warnUnchecked warns of categories that could not be checked.
func warnUnchecked(con *console, unchecked bool, asked []string) {
	if unchecked {
		fmt.Fprintf(con.err, "warning: nothing is published yet, so the category %s cannot be checked\n",
			strings.Join(asked, ", "))
	}
}

type webhookUpdate struct {
	ID            string   `arg:"" help:"The endpoint."`
	Type          []string `placeholder:"TYPE" xor:"types" help:"Only events of this type, instead of the current ones; may be repeated."`
	AllTypes      bool     `xor:"types" help:"Events of all types."`
	Category      []string `placeholder:"SLUG" xor:"categories" help:"Only events about this category, instead of the current ones; may be repeated."`
	AllCategories bool     `xor:"categories" help:"Events about all categories."`
	Description   *string  `help:"What the endpoint is for."`
}

// Help is shown by palmares webhook update --help.
func (webhookUpdate) Help() string {
	return `What is not named stays as it is. The change applies to events that no delivery was
made for yet.`
}

// change returns the change that the options ask for.
func (c *webhookUpdate) change() (u webhook.Change, err error) {
	// A script's empty variable must not clear a filter.
	if c.Type != nil && len(c.Type) == 0 || c.Category != nil && len(c.Category) == 0 {
		return u, errors.New("--type and --category need a name; all are --all-types and --all-categories")
	}
	if len(c.Type) > 0 || c.AllTypes {
		if u.Types, err = webhook.ParseTypes(c.Type); err != nil {
			return u, err
		}
		u.NewTypes = true
	}
	if len(c.Category) > 0 || c.AllCategories {
		if u.Categories, err = webhook.ParseCategories(c.Category); err != nil {
			return u, err
		}
		u.NewCategories = true
	}
	if c.Description != nil {
		text, err := webhook.ParseDescription(*c.Description)
		if err != nil {
			return u, err
		}
		u.Description = &text
	}
	if !u.NewTypes && !u.NewCategories && u.Description == nil {
		return u, errors.New("say what to change: --type or --all-types, --category or --all-categories, --description")
	}
	return u, nil
}

func (c *webhookUpdate) Run(ctx context.Context, con *console) error {
	change, err := c.change()
	if err != nil {
		return err
	}
	return withServices(ctx, func(s *services.Services) error {
		e, unchecked, err := s.Endpoints.Update(ctx, account.Operator(), c.ID, change)
		warnUnchecked(con, unchecked, change.Categories)
		if err != nil {
			return about(c.ID, err)
		}
		fmt.Fprintf(con.err, "%s is changed: types %s; categories %s\n",
			c.ID, orAll(typeNames(e.Types)), orAll(e.Categories))
		return nil
	})
}
