# rubocop:disable Metrics/ClassLength, Style/Documentation
class Suppressed
  def a # rubocop:disable Metrics/AbcSize
    binding.pry
    byebug
    x = 1 # rubocop:todo Lint/UselessAssignment
    debugger if x == 2
    # TODO: name it
    puts x
  end

  # :nocov:
  def b
    binding.irb
  end
  # :nocov:

  # rubocop:disable all
  def c; end
  # rubocop:enable all
end
# rubocop:enable Metrics/ClassLength, Style/Documentation
