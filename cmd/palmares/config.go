package main

import (
	"fmt"
	"os"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/node"
)

type configCommand struct {
	JSON bool `help:"Print the variables as a JSON array."`
}

// Help is shown by palmares config --help.
func (configCommand) Help() string {
	return `Prints every variable that a node reads, its value, its default, and where the value comes
from: the environment, a file, or the default. A hyphen stands for none. Of a secret nothing is
shown; of the URL of an engine its host, without user and password. palmares serve --help says what
the variables mean.

What a node would refuse to start with is printed on standard error, and so is what would work and is
hardly meant: a variable that looks misspelt, a secret out of an example. No engine is asked.

Exit status: 0 if a node would start with these settings, 1 if it would not.`
}

// A shownSetting is a setting in JSON.
type shownSetting struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
	From    string `json:"from"`
	File    string `json:"file,omitempty"`
}

func (c configCommand) Run(con *console) error {
	rows := [][]string{{"VARIABLE", "VALUE", "DEFAULT", "FROM"}}
	shown := []shownSetting{}
	for _, s := range config.Settings(os.Environ()) {
		from := s.From
		if s.File != "" {
			from += " " + s.File
		}
		rows = append(rows, []string{s.Name, orHyphen(s.Value), orHyphen(s.Default), from})
		shown = append(shown, shownSetting(s))
	}
	show := func() error { return con.table(rows) }
	if c.JSON {
		show = func() error { return con.json(shown) }
	}
	if err := show(); err != nil {
		return err
	}
	odd, err := node.CheckSettings(os.Environ())
	for _, line := range odd {
		fmt.Fprintln(con.err, "palmares: warning:", line)
	}
	if err != nil {
		return fmt.Errorf("a node would not start:\n%w", err)
	}
	return nil
}

func orHyphen(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
