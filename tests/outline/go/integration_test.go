//go:build integration && !windows
// +build integration,!windows

package slug

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("HOST") == "" {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTaggedUnderCondition(t *testing.T) {
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}
