class ToolsController < ApplicationController
  SORTABLE = %w[name created_at].freeze

  def log
    lines = `tail -n #{params[:lines].to_i} log/production.log`
    render plain: lines
  end

  def convert
    system("convert", "--", File.basename(params[:file]), "out.png")
    head :ok
  end

  def fetch
    render plain: Net::HTTP.get(URI("https://feeds.example.com/news"))
  end

  def show
    report = current_user.reports.find(params[:id])
    render plain: report.file.download
  end

  def users
    sort = SORTABLE.include?(params[:sort]) ? params[:sort] : "name"
    @users = User.order(sort).limit(100)
  end

  def update
    current_user.update(params.require(:user).permit(:name, :language))
    redirect_to users_path
  end
end
