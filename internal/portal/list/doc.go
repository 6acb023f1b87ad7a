// Package list is the account pages about the list of tools that an account follows: the list with its digest, and the
// page that ends the digest, which every digest links to.
//
// Begin with Pages in list.go: each handler is a method of it. account.Service decides what an owner may do, and
// digest.Service who may end a digest: anybody with the link. That page changes nothing until a button is pressed,
// because programs follow the links in mails.
//
// Read the files in this order: list_texts.go for the texts, list.go for the list, enddigest.go for the link.
package list
