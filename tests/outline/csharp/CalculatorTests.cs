#pragma warning disable CS0618, CS1591
using Xunit;

namespace Example.Tests;

public class CalculatorTests : IDisposable
{
    private readonly Calculator calculator = new();

    [Fact]
    public void Adds()
    {
        Assert.Equal(4, calculator.Add(2, 2));
        Assert.True(calculator.IsReady);
        Assert.True(calculator.Size == 3);
        Assert.True(true);
        Assert.NotNull(calculator.Name);
        Assert.Contains("c", calculator.Name);
        Assert.Equal(1, 1);
        Assert.Null(calculator.Error);
    }

    [Fact]
    public async Task Throws()
    {
        Assert.Throws<DivideByZeroException>(() => calculator.Divide(1, 0));
        await Assert.ThrowsAsync<Exception>(() => calculator.DivideAsync(1, 0));
        Assert.IsType<Calculator>(calculator);
    }

    [Fact(Skip = "flaky")]
    public void IsSkipped()
    {
        Assert.Equal(0, calculator.Size);
    }

    [Theory]
    [InlineData(1, "one")]
    [InlineData(2, "two", Skip = "later")]
    public void Names(int number, string name)
    {
        Assert.Equal(name, calculator.Name(number));
    }

    [Theory, MemberData(nameof(Sums))]
    public void TakesMembers(int a, int b) => Assert.Equal(b, calculator.Same(a));

    public static IEnumerable<object[]> Sums => new List<object[]> { new object[] { 1, 1 }, new object[] { 2, 2 } };

    [Fact]
    public void ReturnsFirst()
    {
        return;
        Assert.Equal(0, calculator.Size);
    }

    [Fact]
    public void NeverAsserts()
    {
        if (false)
        {
            Assert.Equal(0, calculator.Size);
        }
        try
        {
            Assert.Equal(0, calculator.Size);
        }
        catch
        {
        }
        try { Assert.Equal(0, calculator.Size); } catch (Exception) { }
    }

    [Fact]
    public void Fluent()
    {
        calculator.Size.Should().Be(3, "because");
        calculator.Name.Should().NotBeNull();
        calculator.Items.Should().NotBeEmpty().And.HaveCount(3);
        calculator.Size.ShouldBe(3);
        calculator.Name.ShouldNotBeNull();
        true.Should().BeTrue();
        sink.Verify(s => s.Accept(1), Times.Once());
        sink.Verify(s => s.Accept(It.IsAny<int>()));
        other.Received(1).Accept(1);
    }

    [SkippableFact]
    public void SkipsOnACondition()
    {
        Skip.If(calculator.IsSlow);
        Assert.SkipWhen(calculator.IsSlow, "slow");
        Assert.Equal(0, calculator.Size);
    }

    [SuppressMessage("Style", "IDE0060", Justification = "used by a test")]
    private void AssertValid(Calculator it)
    {
        Assert.Equal(0, it.Size); // NOSONAR
        Debugger.Break();
    }
}
#pragma warning restore CS0618
