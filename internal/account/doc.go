// Package account says who may call the service, and how much: accounts, plans and
// their limits, and API keys. Its Service is what can be done with them, and by whom;
// storing is for others.
package account
