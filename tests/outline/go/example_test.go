package slug_test

import "fmt"

func Example() {
	fmt.Println("a")
	// Output: a
}

func ExampleAdd_second() {
	fmt.Println(1)
	fmt.Println(2)
	// Unordered output:
	// 2
	// 1
}

func ExampleAdd_compiledOnly() {
	fmt.Println(3)
}
