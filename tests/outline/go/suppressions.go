// Package slug has suppressed lint, unfinished work and debugging aids.
package slug

import (
	"fmt"
	"os"

	"github.com/davecgh/go-spew/spew"
)

//nolint:gocyclo,funlen // long by nature
func Long() int {
	f, _ := os.Open("x") //nolint
	//lint:ignore SA1019 the new one is not there yet
	old()
	defer f.Close() // #nosec G307
	//revive:disable-next-line:exported
	spew.Dump(f)
	println("here")
	fmt.Println("printing is no debugging aid")
	// TODO(name): close it
	return 1
}
