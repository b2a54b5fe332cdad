package com.acme.seats;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Seats of a show. Requests of many threads reserve them. */
public class Seats {
    private final Map<String, String> owners = new ConcurrentHashMap<>();

    public boolean reserve(String seat, String customer) {
        if (owners.containsKey(seat)) {
            return false;
        }
        owners.put(seat, customer); // want high "twice"
        return true;
    }

    public boolean release(String seat, String customer) {
        return owners.remove(seat, customer);
    }
}
