using NUnit.Framework;

namespace Example.Tests
{
    [TestFixture]
    public class NUnitTests
    {
        [SetUp]
        public void SetUp()
        {
            Assert.That(calculator, Is.Not.Null);
        }

        [Test]
        public void Adds()
        {
            Assert.That(calculator.Add(2, 2), Is.EqualTo(4));
            Assert.That(calculator.Name, Is.Not.Null);
            Assert.That(calculator.Items, Has.Count.EqualTo(3));
            Assert.That(calculator.Items, Does.Contain(3));
            Assert.That(calculator.IsReady);
            Assert.AreEqual(4, calculator.Add(2, 2));
            Assert.That(() => calculator.Parse("("), Throws.TypeOf<ParseException>());
        }

        [TestCase(1, "one")]
        [TestCase(2, "two", Ignore = "later")]
        [TestCase(3, "three")]
        public void Names(int number, string name)
        {
            Assert.That(calculator.Name(number), Is.EqualTo(name));
        }

        [Test, Ignore("flaky")]
        public void IsIgnored()
        {
            Assert.AreEqual(0, calculator.Size);
        }

        [Test]
        [Explicit]
        public void IsExplicit()
        {
            Assert.AreEqual(0, calculator.Size);
        }

        [Test]
        [Platform("Win")]
        public void RunsOnWindows()
        {
            if (!calculator.IsFast)
            {
                Assert.Ignore("slow");
            }
            Assert.AreEqual(0, calculator.Size);
        }

        [Test]
        public void IsInconclusive()
        {
            Assert.Inconclusive("not yet");
        }
    }

    [TestClass]
    [Ignore]
    public class MsTests
    {
        [TestMethod]
        [ExpectedException(typeof(ParseException))]
        public void Rejects()
        {
            calculator.Parse("(");
        }

        [DataTestMethod]
        [DataRow(1, "one")]
        [DataRow(2, "two")]
        public void Names(int number, string name)
        {
            Assert.AreEqual(name, calculator.Name(number));
            StringAssert.Contains(calculator.Name(number), "o");
            CollectionAssert.AreEqual(new[] { 1 }, calculator.Items);
        }
    }
}
