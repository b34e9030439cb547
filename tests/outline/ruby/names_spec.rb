require "rspec"

RSpec.describe "Slug" do
  describe "words" do
    it "joins with dashes" do
      expect(1).to eq(1)
    end

    it 'keeps "quotes"' do
    end

    specify "drops punctuation" do
    end

    context "when empty" do
      example("is empty") { expect([]).to be_empty }
      it "waits"
    end
  end

  xit "is skipped" do
  end

  pending "is pending" do
    expect(1).to eq(2)
  end

  describe String do
    it "is a class", :slow, speed: "low" do
    end
  end
end
