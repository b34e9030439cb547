package slug

import "testing"

func TestMain(m *testing.M) {
}

func TestNeverRuns(t *testing.T) {
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}
