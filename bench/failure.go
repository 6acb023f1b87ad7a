package main

// A failure is an error that ends a measurement. Comparing follows a script each step of which needs the one before:
// check and must panic with a failure, and attempt, which stands around a class and around a subcommand, returns it.
type failure struct{ err error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func attempt(do func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			panic(r)
		}
	}()
	do()
	return nil
}
