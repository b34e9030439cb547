# frozen_string_literal: true

require "calculator"

RSpec.describe Calculator do
  subject(:calculator) { described_class.new }

  let(:two) { 2 }

  before do
    expect(calculator).to be_ready
  end

  describe "#add" do
    it "adds" do
      expect(calculator.add(two, 2)).to eq(4)
      expect(calculator.add(two, 2)).to eq 4
      expect(calculator.add(1, 1)).to be > 1
      expect(calculator.name).not_to be_nil
      expect(calculator.name).to include("calc")
      expect(calculator.items).to contain_exactly(1, 2)
      expect(calculator).to be_truthy
      expect(true).to be true
      expect(calculator.items).to all(be_positive)
    end

    it "raises" do
      expect { calculator.divide(1, 0) }.to raise_error(ZeroDivisionError)
      expect { calculator.divide(1, 0) }.to raise_error
      expect { calculator.add(1, 1) }.to change(calculator, :count).by(1)
      expect { calculator.add(1, 1) }.not_to raise_error
      expect(calculator).to have_received(:add).with(1, 1).once
    end

    it { is_expected.to be_ready }
    it { is_expected.to eq(3) }
    specify { expect(calculator.size).to eq 0 }
    its(:size) { is_expected.to eq(0) }

    it "has no body yet"

    xit "is skipped by its prefix" do
      expect(calculator.size).to eq 0
    end

    it "is skipped in its body" do
      skip "later"
      expect(calculator.size).to eq 0
    end

    it "is skipped bare" do
      skip
      expect(calculator.size).to eq 0
    end

    it "is skipped on a condition" do
      skip "no network" unless ENV["NETWORK"]
      expect(calculator.size).to eq 0
    end

    it "is skipped in a branch" do
      if RUBY_PLATFORM =~ /mswin/
        skip "windows"
      end
      expect(calculator.size).to eq 0
    end

    it "is skipped by metadata", skip: "why" do
      expect(calculator.size).to eq 0
    end

    it "is skipped by a symbol", :skip do
      expect(calculator.size).to eq 0
    end

    it "is pending" do
      pending "a bug"
      expect(calculator.size).to eq 0
    end

    pending "is a pending example" do
      expect(calculator.size).to eq 0
    end

    it "runs on a condition", if: ENV["CI"] do
      expect(calculator.size).to eq 0
    end

    fit "is focused" do
      expect(calculator.size).to eq 0
    end

    it "is focused by metadata", focus: true do
      expect(calculator.size).to eq 0
    end

    it "is focused by a symbol", :focus do
      expect(calculator.size).to eq 0
    end
  end

  xdescribe "a skipped group" do
    it "is in it" do
      expect(calculator.size).to eq 0
    end
  end

  fcontext "a focused group" do
    it "is in it" do
      calculator.size.should == 0
      calculator.size.should eq(0)
      calculator.name.should_not be_nil
    end
  end

  context "with nothing", :aggregate_failures do
    it "returns first" do
      next
      expect(calculator.size).to eq 0
    end

    it "never asserts" do
      if false
        expect(calculator.size).to eq 0
      end
      expect(calculator.size).to eq 0 if false
    end

    it "loses failures" do
      begin
        expect(calculator.size).to eq 0
      rescue StandardError
        nil
      end
      expect(calculator.size).to(eq(0)) rescue nil
    end

    it "handles failures" do
      begin
        calculator.parse("(")
        raise "no error"
      rescue ParseError => e
        expect(e.message).to eq("line 1")
      end
    end

    it "is empty" do
    end
  end

  shared_examples "a counter" do |name|
    it "counts" do
      expect(calculator.count).to eq 0
    end
  end

  it_behaves_like "a counter", :x
end
