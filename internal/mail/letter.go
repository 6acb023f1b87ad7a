package mail

import (
	"strconv"
	"strings"
	"time"
)

// A Letter is what all messages to owners of accounts have: who writes, to whom, in which language.
type Letter struct {
	Service  Service
	To       string // an e-mail address
	Language string // "en", or else French
	ID       string // of the message
}

func text(s string) block             { return block{Text: s} }
func small(s string) block            { return block{Text: s, Small: true} }
func button(label, link string) block { return block{Label: label, Link: link} }

func unsubscribe(s, label, link string) block {
	return block{Text: s, Small: true, Label: label, Link: link}
}

// message writes the draft in the language of the letter.
func (l Letter) message(french, english draft) Message {
	d, w := french, writer{service: l.Service, language: "fr", colon: "\u00a0:"}
	if l.Language == "en" {
		d, w.language, w.colon = english, "en", ":"
	}
	return Message{To: l.To, Subject: d.subject, Text: w.text(d), HTML: w.html(d), ID: l.ID}
}

var months = [...]string{
	"janvier", "février", "mars", "avril", "mai", "juin",
	"juillet", "août", "septembre", "octobre", "novembre", "décembre",
}

// frenchTime writes a time: 15 novembre 2026 à 9 h 40 UTC. Its spaces do not break.
func frenchTime(t time.Time) string {
	t = t.UTC()
	day := strconv.Itoa(t.Day())
	if day == "1" {
		day = "1er"
	}
	return strings.Join([]string{day, months[t.Month()-1], strconv.Itoa(t.Year()), "à", frenchClock(t)}, "\u00a0")
}

// frenchClock writes a time of the day: 9 h 40 UTC, or 0 h UTC.
func frenchClock(t time.Time) string {
	t = t.UTC()
	clock := strconv.Itoa(t.Hour()) + "\u00a0h"
	if t.Minute() != 0 {
		clock += t.Format("\u00a004")
	}
	return clock + "\u00a0UTC"
}

// englishTime writes a time: 15 November 2026, 09:40 UTC.
func englishTime(t time.Time) string {
	return t.UTC().Format("2\u00a0January\u00a02006, 15:04\u00a0UTC")
}

func englishClock(t time.Time) string { return t.UTC().Format("15:04\u00a0UTC") }

// grouped writes a number in groups of three digits.
func grouped(n int, separator string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + separator + s[i:]
	}
	return s
}
