class ProjectsController < ApplicationController
  FIGURES = { "open" => :open_count, "late" => :late_count }.freeze

  before_action :authenticate_user!

  def index
    @projects = Project.where("name LIKE ?", "%#{Project.sanitize_sql_like(params[:q].to_s)}%")
                       .order(:name)
                       .limit(50)
  end

  def create
    @project = current_user.projects.create!(project_params)
    redirect_to project_path(@project)
  end

  def export
    system("zip", "-r", "/tmp/export.zip", "exports", exception: true)
    send_file "/tmp/export.zip"
  end

  def import
    @rows = JSON.parse(params[:rows])
    render json: { count: @rows.size }
  end

  # Not Project.public_send(params[:figure]): anything could be called.
  def stat
    render json: Project.public_send(FIGURES.fetch(params[:figure], :open_count))
  end

  private

  def project_params
    params.require(:project).permit(:name, :description, :due_on)
  end
end
