// Package account says who may call the service, and how much: accounts, plans and
// their limits, and API keys. It is pure: storing is for others.
package account
