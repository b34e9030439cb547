package slug_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("parse", func() {
	BeforeEach(func() {
		if onWindows {
			Skip("no fork")
		}
	})

	It("reads a word", func() {
		Expect(parse("x")).To(Equal("x"))
	})

	PIt("is pending", func() {
		Expect(parse("x")).To(Equal("x"))
	})

	FIt("is focused", func() {
		Expect(parse("x")).To(Equal("x"))
	})

	It("is announced")

	Context("with blanks", func() {
		It("is pending by a mark", Pending, func() {
			Expect(parse(" ")).To(BeEmpty())
		})
		It("is focused by a mark", Focus, func() {
			Expect(parse(" ")).To(BeEmpty())
		})
	})

	XDescribe("later", func() {
		It("is in a pending suite", func() {
			Expect(parse(" ")).To(BeEmpty())
		})
	})

	DescribeTable("rows", func(a, b string) {
		Expect(parse(a)).To(Equal(b))
	},
		Entry("one", "a", "a"),
		Entry("two", "b", "b"),
		PEntry("three", "c", "c"),
	)
})
