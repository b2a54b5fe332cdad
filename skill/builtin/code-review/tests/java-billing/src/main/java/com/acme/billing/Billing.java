package com.acme.billing;

import java.math.BigDecimal;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.List;

public class Billing {
    private static final BigDecimal FEE = new BigDecimal(0.35); // want medium "binary float"

    private final Queue queue;

    Billing(Queue queue) {
        this.queue = queue;
    }

    String bill(Account account, List<Item> items) {
        if (account.plan() == "free") { // want high "by identity"
            return null;
        }
        if (items.size() < 0) { // want medium "never below zero"
            throw new IllegalArgumentException("no items");
        }
        BigDecimal total = FEE;
        for (Item item : items) {
            total = total.add(item.price());
        }
        String number = new SimpleDateFormat("YYYY-MM-dd").format(new Date()); // want medium "year of the week"
        new Thread(() -> queue.send(account, number)).run(); // want medium "does not start"
        try {
            queue.flush();
        } catch (Exception e) {} // want low "swallowed"
        return number + " " + total;
    }
}
