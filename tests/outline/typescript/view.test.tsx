import { render, screen } from '@testing-library/react'
import { Button } from '../src/Button'

describe('<Button>', () => {
  it('shows its label', () => {
    render(<Button label="Save" onClick={() => {}} />)
    expect(screen.getByText('Save')).toBeInTheDocument()
  })
  it.skip('is disabled', () => {
    render(
      <Panel>
        <Button disabled />
      </Panel>,
    )
    expect(screen.getByRole('button')).toBeDisabled()
  })
})
