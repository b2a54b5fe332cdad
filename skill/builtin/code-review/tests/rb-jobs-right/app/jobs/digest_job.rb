class DigestJob < ApplicationJob
  queue_as :mail

  # binding.pry shows the entries
  def perform(account, role)
    unless role == :admin or role == :owner
      return
    end
    entries = account.entries.where(sent: false)
    return if entries.length.zero?

    kind = account.kind == "trial" || "paid"
    DigestMailer.with(account: account, entries: entries, kind: kind).digest.deliver_now
    entries.update_all(sent: true)
  end
end
