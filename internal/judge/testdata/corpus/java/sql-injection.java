package shop.orders;

import jakarta.persistence.EntityManager;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {
    private static final Logger LOG = Logger.getLogger("orders");
    private static final String COLUMNS = "id, customer, total, state";

    private final JdbcTemplate jdbc;
    private final EntityManager em;

    OrderController(JdbcTemplate jdbc, EntityManager em) {
        this.jdbc = jdbc;
        this.em = em;
    }

    @GetMapping("/orders")
    List<String> byCustomer(@RequestParam String customer) {
        // ruleid: sql-injection
        return jdbc.queryForList("SELECT id FROM orders WHERE customer = '" + customer + "'", String.class);
    }

    @GetMapping("/orders/safe")
    List<String> byCustomerBound(@RequestParam String customer) {
        // ok: sql-injection
        return jdbc.queryForList("SELECT id FROM orders WHERE customer = ?", String.class, customer);
    }

    @GetMapping("/orders/entities")
    List<?> byState(@RequestParam String state) {
        // ruleid: sql-injection
        return em.createQuery("SELECT o FROM Order o WHERE o.state = '" + state + "'").getResultList();
    }

    @GetMapping("/orders/entities/safe")
    List<?> byStateBound(@RequestParam String state) {
        // ok: sql-injection
        return em.createQuery("SELECT o FROM Order o WHERE o.state = :state")
            .setParameter("state", state)
            .getResultList();
    }

    int purge() {
        // ok: sql-injection
        LOG.info("DELETE FROM orders WHERE state = '" + State.CANCELED + "' is about to run");
        // ok: sql-injection
        return jdbc.update("DELETE FROM orders " + "WHERE note LIKE '%canceled%'");
    }

    enum State { OPEN, PAID, CANCELED }
}

class OrderServlet extends HttpServlet {
    private static final String ALL = "SELECT id, customer FROM orders";
    private DataSource source;

    @Override
    protected void doGet(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        String id = req.getParameter("id");
        try (Connection c = source.getConnection(); Statement st = c.createStatement()) {
            // ruleid: sql-injection
            ResultSet rs = st.executeQuery("SELECT customer, total FROM orders WHERE id = " + id);
            while (rs.next()) {
                resp.getWriter().println(rs.getInt("total"));
            }
        } catch (SQLException e) {
            resp.sendError(500);
        }
    }

    @Override
    protected void doDelete(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        try (Connection c = source.getConnection(); Statement st = c.createStatement()) {
            // ruleid: sql-injection
            st.executeUpdate(
                String.format("DELETE FROM orders WHERE id = '%s'", req.getParameter("id")));
        } catch (SQLException e) {
            resp.sendError(500);
        }
    }

    ResultSet all(Statement st) throws SQLException {
        // ok: sql-injection
        return st.executeQuery(ALL + " ORDER BY id");
    }

    PreparedStatement rename(Connection c, String name, long id) throws SQLException {
        // ok: sql-injection
        PreparedStatement ps = c.prepareStatement(
            "UPDATE orders SET customer = ? "
                + "WHERE id = ?");
        ps.setString(1, name);
        ps.setLong(2, id);
        return ps;
    }

    PreparedStatement sorted(Connection c, HttpServletRequest req) throws SQLException {
        String sort = req.getParameter("sort");
        // ruleid: sql-injection
        return c.prepareStatement("SELECT id FROM orders ORDER BY " + sort);
    }

    boolean exists(Statement st, String table) throws SQLException {
        // ruleid: sql-injection
        return st.execute("SELECT 1 FROM " + table + " LIMIT 1");
    }
}

class ExportServlet extends HttpServlet {
    private DataSource source;

    @Override
    protected void doGet(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        String since = req.getParameter("since");
        String format = req.getParameter("format");
        if (format == null) {
            format = "csv";
        }
        resp.setContentType("text/" + format);
        String where = "created > '" + since + "'";
        try (Connection c = source.getConnection(); Statement st = c.createStatement()) {
            // ruleid: sql-injection
            ResultSet rs = st.executeQuery("SELECT id, total FROM orders WHERE " + where);
            resp.getWriter().println(rs.getFetchSize());
        } catch (SQLException e) {
            resp.sendError(500);
        }
    }

    @Override
    protected void doPost(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        int page = Integer.parseInt(req.getParameter("page"));
        try (Connection c = source.getConnection(); Statement st = c.createStatement()) {
            // ok: sql-injection
            ResultSet rs = st.executeQuery("SELECT id, total FROM orders LIMIT 20 OFFSET " + page * 20);
            resp.getWriter().println(rs.getFetchSize());
        } catch (SQLException e) {
            resp.sendError(500);
        }
    }
}
