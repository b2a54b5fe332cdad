# frozen_string_literal: true

require 'open3'
require 'shellwords'

# Runs the programs of the media server.
class ToolsController < ApplicationController
  TOOLS = { 'git' => '/usr/bin/git', 'ruby' => '/usr/bin/ruby' }.freeze

  def ping
    # ruleid: command-injection
    render plain: `ping -c 1 #{params[:host]}`
  end

  def ping_safe
    # ok: command-injection
    out, status = Open3.capture2e('ping', '-c', '1', '--', params[:host])
    render plain: out, status: status.success? ? 200 : 502
  end

  def uptime
    # ok: command-injection
    render plain: `uptime | cut -d, -f1`
  end

  def convert
    file = params[:file]
    # ruleid: command-injection
    system("convert #{file} -resize 200x200 /srv/out.png")
    head :no_content
  end

  def convert_safe
    # ok: command-injection
    system(
      'convert', params[:file],
      '-resize', '200x200',
      '/srv/out.png'
    )
    head :no_content
  end

  def lookup
    # ruleid: command-injection
    out, = Open3.capture2("dig +short " + params[:domain])
    render plain: out
  end

  def tail
    # ok: command-injection
    render plain: `tail -n 50 /var/log/app/#{Shellwords.escape(params[:name])}`
  end

  def run
    # ruleid: command-injection
    IO.popen(params[:command]) { |io| render plain: io.read }
  end

  def version
    tool = TOOLS.fetch(params[:tool], '/usr/bin/git')
    # ok: command-injection
    render plain: IO.popen([tool, '--version'], &:read)
  end

  def backup
    dir = params.require(:dir)
    logger.info("backup of #{dir}")
    # ruleid: command-injection
    %x(tar czf /srv/backup.tgz #{dir})
    head :no_content
  end

  def spawn_job
    # ruleid: command-injection
    pid = Process.spawn(
      "ffmpeg -i #{params[:input]} /srv/out.mp4"
    )
    render json: { pid: pid }
  end

  def help
    # Was once: system("ping #{params[:host]}")
    # ok: command-injection
    render plain: 'The call of system("ping ...") was replaced.'
  end
end

# Searches the documents.
class DocsController < ApplicationController
  def grep
    pattern = params[:pattern]
    limit = [params[:limit].to_i, 100].min
    line = "grep -rn -m #{limit} #{pattern} /srv/docs"
    # ruleid: command-injection
    render plain: `#{line}`
  end

  def tail
    limit = Integer(params[:limit])
    # ok: command-injection
    render plain: `tail -n #{limit} /var/log/app.log`
  end
end
