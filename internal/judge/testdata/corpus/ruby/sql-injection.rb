# frozen_string_literal: true

require 'mysql2'
require 'pg'
require 'sinatra/base'

# Orders of a shop.
class OrdersController < ApplicationController
  COLUMNS = 'id, customer, total, state'

  def index
    # ruleid: sql-injection
    @orders = Order.where("customer = '#{params[:customer]}'")
  end

  def index_bound
    # ok: sql-injection
    @orders = Order.where('customer = ?', params[:customer])
  end

  def index_hash
    # ok: sql-injection
    @orders = Order.where(customer: params[:customer]).where("note LIKE '%paid%'")
  end

  def show
    id = params[:id]
    # ruleid: sql-injection
    @order = Order.find_by_sql("SELECT * FROM orders WHERE id = #{id}").first
  end

  def columns
    # ok: sql-injection
    @orders = Order.find_by_sql("SELECT #{COLUMNS} FROM orders ORDER BY id")
  end

  def sorted
    # ruleid: sql-injection
    @orders = Order.order('created_at ' + params[:direction])
  end

  def destroy
    # ruleid: sql-injection
    ActiveRecord::Base.connection.execute(
      "DELETE FROM orders WHERE id = '#{params[:id]}'"
    )
    # ok: sql-injection
    logger.info("DELETE FROM orders WHERE id = #{params[:id]}")
    head :no_content
  end

  def touch
    # ok: sql-injection
    ActiveRecord::Base.connection.exec_query('UPDATE orders SET touched = now() WHERE id = $1', 'touch', [params[:id]])
    head :no_content
  end
end

# The same over the bare drivers.
class Api < Sinatra::Base
  get '/orders' do
    term = params['q'].to_s
    halt 400 if term.empty?
    # ruleid: sql-injection
    rows = settings.pg.exec("SELECT id FROM orders WHERE note LIKE '%" + term + "%'")
    rows.to_a.to_json
  end

  get '/orders/bound' do
    # ok: sql-injection
    rows = settings.pg.exec_params(
      'SELECT id FROM orders WHERE note LIKE $1',
      ["%#{params['q']}%"]
    )
    rows.to_a.to_json
  end

  get '/customers' do
    # ruleid: sql-injection
    settings.mysql.query("SELECT * FROM customers WHERE city = '%s'" % params['city']).to_a.to_json
  end

  get '/customers/escaped' do
    city = settings.mysql.escape(params['city'])
    # ok: sql-injection
    settings.mysql.query("SELECT * FROM customers WHERE city = '#{city}'").to_a.to_json
  end
end

# Exports for the office.
class ExportsController < ApplicationController
  def show
    since = params[:since]
    format = params.fetch(:kind, 'csv')
    return head(:bad_request) unless %w[csv json].include?(format)

    where = "created_at > '#{since}'"
    # ruleid: sql-injection
    @rows = ActiveRecord::Base.connection.select_all("SELECT id, total FROM orders WHERE #{where}")
  end

  def page
    offset = params[:page].to_i * 20
    # ok: sql-injection
    @rows = ActiveRecord::Base.connection.select_all("SELECT id, total FROM orders LIMIT 20 OFFSET #{offset}")
  end
end
