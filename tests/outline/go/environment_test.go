package a

import (
	"os"
	"testing"
)

func TestNeedsAServer(t *testing.T) {
	if os.Getenv("SERVER") == "" {
		return
	}
	if connect() != 1 {
		t.Fatal("no connection")
	}
}

func TestEndsEarlyByAValue(t *testing.T) {
	found := find()
	if found == nil {
		return
	}
	if found.Size != 1 {
		t.Error("size")
	}
}
