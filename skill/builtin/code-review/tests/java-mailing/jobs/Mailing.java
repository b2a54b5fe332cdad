package jobs;

import java.util.ArrayList;
import java.util.List;

public class Mailing {
    private final List<Subscriber> subscribers = new ArrayList<>();

    void unsubscribe(String address) {
        for (Subscriber s : subscribers) {
            if (s.address() == "" || s.address().equals(address)) { // want high "by identity"
                subscribers.remove(s); // want high "while it is iterated"
            }
        }
    }

    int size() {
        return subscribers.size();
    }
}
