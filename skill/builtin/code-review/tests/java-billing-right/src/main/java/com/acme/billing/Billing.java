package com.acme.billing;

import java.math.BigDecimal;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

public class Billing {
    private static final BigDecimal FEE = new BigDecimal("0.35");

    private final Queue queue;

    Billing(Queue queue) {
        this.queue = queue;
    }

    String bill(Account account, List<Item> items) {
        // account.plan() == "free" compares identities
        if ("free".equals(account.plan()) || account.plan() == null) {
            return null;
        }
        if (items.isEmpty() || items.get(0).price().signum() < 0) {
            throw new IllegalArgumentException("a rule such as a == \"b\" is missing");
        }
        BigDecimal total = FEE;
        for (Item item : items) {
            total = total.add(item.price());
        }
        String number = new SimpleDateFormat("yyyy-MM-dd").format(new Date());
        new Thread(() -> queue.send(account, number)).start();
        try {
            queue.flush();
        } catch (RejectedExecutionException ignored) {
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return number + " " + total;
    }
}
