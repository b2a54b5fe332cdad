class DigestJob < ApplicationJob
  queue_as :mail

  def perform(account, role)
    binding.pry # want high "breakpoint"
    unless role == :admin or :owner # want high "always true"
      return
    end
    entries = account.entries.where(sent: false)
    return if entries.length < 0 # want medium "never below zero"

    DigestMailer.with(account: account, entries: entries).digest.deliver_now
    entries.update_all(sent: true)
  end
end
