CASES = { "a" => 1, "b" => 2, "c" => 3 }

RSpec.describe Slug do
  { "a_b" => "a-b", "1 + 1" => "1-1" }.each do |title, want|
    it "turns #{title} into #{want}" do
      expect(slug(title)).to eq(want)
    end
  end

  %w[x y].each { |word| it("keeps #{word}") { expect(slug(word)).to eq(word) } }

  [1, 2].each_with_index do |number, at|
    it("numbers #{number}") { expect(slug(number)).to eq(at) }
  end

  CASES.each do |title, size|
    it("measures #{title}") { expect(slug(title).size).to eq(size) }
  end

  it "asserts about a list" do
    [1, 2].each { |number| expect(slug(number)).to eq(number.to_s) }
  end
end
