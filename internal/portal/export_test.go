package portal

import "slices"

// A RouteInfo describes a page for tests that go through all of them.
type RouteInfo struct {
	Name    string
	Path    string // in French
	Open    bool
	Machine bool // takes POSTs of programs
	Actions []string
}

// AllRoutes lists every page.
func AllRoutes() (all []RouteInfo) {
	for _, rt := range routes() {
		info := RouteInfo{Name: rt.name, Path: rt.paths[0], Open: rt.open, Machine: rt.machine != nil}
		for action := range rt.actions {
			info.Actions = append(info.Actions, action)
		}
		slices.Sort(info.Actions)
		all = append(all, info)
	}
	return all
}
