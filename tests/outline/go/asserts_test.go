package slug

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"
)

func TestByHand(t *testing.T) {
	got, err := parse("x")
	if err != nil {
		t.Fatal(err)
	}
	if err == nil {
		t.Fatal("no error")
	}
	if !errors.Is(err, errBad) {
		t.Fatalf("error %v", err)
	}
	if got != "x" {
		t.Errorf("got %q", got)
	}
	if got.A != 1 || got.B != 2 || got.C != 3 {
		t.Error("wrong fields")
	}
	if got.A < 1 {
		t.Error("too small")
	}
	if len(got) != 2 {
		t.Error("length")
	}
	if !reflect.DeepEqual(got, "x") {
		t.Error("differ")
	}
	if diff := cmp.Diff("x", got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(got, "x") {
		t.Error("no x")
	}
	if !got.Ready {
		t.Error("not ready")
	}
	if got == "y" {
		t.Error("y")
	}
	if got == "z" {
		t.Log("fine")
	} else {
		t.Error("not z")
	}
	switch {
	case got == "a":
		t.Fatal("a")
	}
	t.Error("not reached")
}

func TestNothing(t *testing.T) {
	if false {
		t.Error("never")
	}
	if 1 != 1 {
		t.Error("never")
	}
	assert.True(t, true)
	assert.Equal(t, 1, 1)
	require.Equal(t, got, got)
}

func TestLibraries(t *testing.T) {
	got, err := parse("x")
	require.NoError(t, err)
	require.Error(t, err)
	require.ErrorIs(t, err, errBad)
	require.EqualError(t, err, "bad")
	assert.Equal(t, "x", got, "message %d", 1)
	assert.NotEqual(t, "y", got)
	assert.Truef(t, got.Ready, "not %s", "ready")
	assert.Contains(t, got, "x")
	assert.Len(t, got, 2)
	assert.Nil(t, got)
	assert.ElementsMatch(t, []int{1}, got)
	assert.JSONEq(t, `{}`, got)
	assert.Panics(t, func() { parse("") })
	assert.InDelta(t, 0.3, got, 0.1)
	a := assert.New(t)
	a.Equal("x", got)
	checkParse(t, "x")
}

func TestGomega(t *testing.T) {
	Expect(got).To(Equal("x"))
	Expect(got).NotTo(BeNil())
	Eventually(func() int { return 1 }).Should(BeNumerically(">", 0))
	So(got, ShouldEqual, "x")
	c.Assert(got, qt.Equals, "x")
	qt.Assert(t, got, qt.IsNil)
}

func TestReturnsFirst(t *testing.T) {
	return
	if add(1, 1) != 2 {
		t.Fatal("wrong")
	}
}

func TestDead(t *testing.T) {
	if false {
		assert.Equal(t, 1, add(0, 1))
	}
	if testing.Short() && false {
		assert.Equal(t, 2, add(0, 2))
	}
	_ = func() {
		assert.Equal(t, 3, add(0, 3))
	}
	if true {
		assert.Equal(t, 4, add(0, 4))
	} else {
		assert.Equal(t, 5, add(0, 5))
	}
	for false {
		assert.Equal(t, 6, add(0, 6))
	}
}

func TestEmpty(t *testing.T) {}

func TestBlankOnly(t *testing.T) {
	_ = add(1, 1)
}

func checkParse(t *testing.T, want string) {
	t.Helper()
	if got, _ := parse(want); got != want {
		t.Fatalf("got %q", got)
	}
}

type ParseSuite struct {
	suite.Suite
}

func (s *ParseSuite) SetupTest() {
	if runtimeIsOld() {
		s.T().Skip("old")
	}
}

func (s *ParseSuite) TestOne() {
	s.Equal("x", got)
	s.Require().NoError(err)
}

func (s *ParseSuite) TestSkipped() {
	s.T().Skip("later")
}

func TestParseSuite(t *testing.T) {
	suite.Run(t, new(ParseSuite))
}
