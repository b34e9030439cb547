//go:build ignore

package slug

import "testing"

func TestTagged(t *testing.T) {
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}
