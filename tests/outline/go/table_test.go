package slug

import "testing"

var addTests = []struct{ a, b, want int }{
	{1, 1, 2},
	{2, 2, 4},
}

func TestAddTable(t *testing.T) {
	for _, test := range addTests {
		if got := add(test.a, test.b); got != test.want {
			t.Errorf("got %d, want %d", got, test.want)
		}
	}
}
