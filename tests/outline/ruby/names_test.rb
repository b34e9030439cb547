require "minitest/autorun"

class SlugTest < Minitest::Test
  def test_joins
    assert_equal 1, 1
  end

  def test_drops_punctuation; end

  def helper; end

  class Nested < Minitest::Test
    def test_inner
      skip
    end
  end
end
