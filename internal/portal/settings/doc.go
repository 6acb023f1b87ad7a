// Package settings is the account pages of the account itself: its address, language, mail, sessions, activity,
// export and deletion, and the two pages that mails link to, which confirm another address and unsubscribe from
// the mail about usage.
//
// Begin with Pages in settings.go: each handler is a method of it. account.Service, account.EmailChanges and
// account.Notices decide who may do what. The pages behind mail links need no session: anybody with the link
// may use it. They change nothing until a button is pressed, because programs follow the links in mails.
//
// Read the files in this order: settings_texts.go for the texts, preferences.go for the language and the
// switches, settings.go, activity.go for the log of what was done, address.go and unsubscribe.go for the links.
package settings
