// Package slug shows every way in which Go's tests are skipped.
package slug

import (
	"os"
	"runtime"
	"testing"
)

func TestPlain(t *testing.T) {
	if got := add(1, 1); got != 2 {
		t.Errorf("add = %d, want 2", got)
	}
}

func TestSkip(t *testing.T) {
	t.Skip("flaky")
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}

func TestSkipf(t *testing.T) {
	t.Skipf("flaky on %s", runtime.GOOS)
}

func TestSkipNow(t *testing.T) {
	t.Helper()
	t.SkipNow()
}

func TestSkipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}

func TestSkipInit(t *testing.T) {
	if host := os.Getenv("HOST"); host == "" {
		t.Skip("no host")
	}
}

func TestSkipSwitch(t *testing.T) {
	switch runtime.GOOS {
	case "windows", "plan9":
		t.Skip("no fork")
	default:
		if add(1, 1) != 2 {
			t.Fatal("wrong")
		}
	}
}

func TestSkipAlways(t *testing.T) {
	if true {
		t.Skip("off")
	}
}

func TestSkipByHelper(t *testing.T) {
	skipOnWindows(t)
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}

func skipOnWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no fork")
	}
}

func TestSubtests(t *testing.T) {
	t.Run("first", func(t *testing.T) {
		if add(1, 1) != 2 {
			t.Fatal("wrong")
		}
	})
	t.Run("second", func(t *testing.T) {
		t.Skip("later")
	})
	t.Run("third", checkAdd)
	t.Run("outer", func(t *testing.T) {
		t.Parallel()
		t.Run(`inner name`, func(t *testing.T) {
			if add(2, 2) != 4 {
				t.Error("wrong")
			}
		})
	})
}

func checkAdd(t *testing.T) {
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}

func TestTable(t *testing.T) {
	tests := []struct {
		name string
		a, b int
		want int
	}{
		{"ones", 1, 1, 2},
		{name: "twos", a: 2, b: 2, want: 4},
		// a comment between rows
		{name: "zero"},
	}
	for _, tc := range tests {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			if tc.name == "windows" {
				t.Skip("no fork")
			}
			if got := add(tc.a, tc.b); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestMapTable(t *testing.T) {
	var cases = map[string]int{
		"one": 1,
		"two": 2,
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			if len(name) != want {
				t.Fail()
			}
		})
	}
}

func TestInlineTable(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		if add(n, 0) != n {
			t.Errorf("add(%d, 0)", n)
		}
	}
}

func FuzzAdd(f *testing.F) {
	f.Add(1, 2)
	f.Add(3, 4)
	f.Fuzz(func(t *testing.T, a, b int) {
		if add(a, b) != add(b, a) {
			t.Errorf("not commutative: %d %d", a, b)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	b.Skip("a benchmark is no test")
	for i := 0; i < b.N; i++ {
		add(i, i)
	}
}

func TestingHelperIsNoTest(t *testing.T) {}

func Testify(t *testing.T) {}
